def leaderboard_markdown(report):
    return ""


def markdown_of(report, language="en"):
    return ""
