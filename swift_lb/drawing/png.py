"""What matplotlib draws, as a PNG file: for where there is no page to put it in."""
from swift_lb.drawing.looks import STYLE


def picture(draw, size, path):
    """Write what `draw`(figure) draws on `size` (width, height) inches to `path`."""
    import matplotlib
    from matplotlib.figure import Figure
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size)
        draw(figure)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110, facecolor='white')
