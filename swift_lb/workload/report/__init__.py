"""report.html: one run for people to look at, in a single file without links or scripts."""


def write_report(run, path):
    """Write the HTML report of a RunResult to `path`, a pathlib.Path.

    Raises OSError if it cannot be written.
    """
    from swift_lb.workload.report.page import document  # matplotlib: two seconds, 50 MiB
    path.write_text(document(run), encoding='utf-8', errors='replace')  # a command may be no text
