def page_of(report, language="en"):
    return ""
