"""The language of a text, by its script alone."""

import re

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
MUCH_HAN = 0.1


def script_language(text: str) -> str:
    """`zh`, `en` or `mixed`.

    `zh` where more than half of the letters are Han; `en` where more than half are Latin and at most a
    tenth are Han, since one Han character weighs as much as several Latin ones; else `mixed`.
    """
    letters = sum(map(str.isalpha, text))
    han, latin = len(HAN.findall(text)), len(LATIN.findall(text))
    if 2 * han > letters:
        return "zh"
    return "en" if 2 * latin > letters and han <= MUCH_HAN * letters else "mixed"
