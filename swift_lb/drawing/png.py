"""Charts of matplotlib as PNG files, for use outside of an HTML page."""
from swift_lb.drawing.looks import STYLE


def picture(draw, size, path):
    """Draw a chart by `draw`(figure), of `size` (width, height) in inches, as a PNG at `path`."""
    import matplotlib
    from matplotlib.figure import Figure
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size)
        draw(figure)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110, facecolor='white')
