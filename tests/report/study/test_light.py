"""What asks for no page and no table does not wait for the libraries that write them."""

import subprocess
import sys


def test_commands_that_can_write_a_report_load_neither_templates_nor_tables_before_they_do() -> None:
    script = (
        "import sys, rag_ablation.commands.holdout, rag_ablation.commands.study\n"
        "print('rag_ablation.report.study.page' in sys.modules, "
        "[name for name in ('jinja2', 'markupsafe', 'pyarrow', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True []"
