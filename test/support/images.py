"""Images of all kinds that are decoded exactly, and codestreams of them."""
import io

import numpy as np
from PIL import Image

COMPONENTS = {'LA': 2, 'RGB': 3, 'RGBA': 4}


def pixels(mode, width, height, seed=0):
    """Return an array of pixels of one of Pillow's modes: waves, edges and noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    many = COMPONENTS.get(mode, 1)
    planes = [np.sin(x / rng.uniform(3, 30) + y / rng.uniform(3, 30)) + (x // 16 + y // 8) % 2
              + rng.normal(scale=0.02, size=x.shape) for _number in range(many)]
    depth, dtype = (65535, np.uint16) if mode == 'I;16' else (255, np.uint8)
    scaled = [np.clip((plane + 1.2) / 3.4 * depth, 0, depth).astype(dtype) for plane in planes]
    return scaled[0] if many == 1 else np.stack(scaled, axis=2)


def codestream(array, tile=None, levels=4, irreversible=False, **options):
    """Return the JPEG 2000 codestream of an array of pixels; `options` are those of Pillow."""
    file = io.BytesIO()
    Image.fromarray(array).save(file, 'JPEG2000', no_jp2=True, irreversible=irreversible,
                                num_resolutions=levels + 1, **{'tile_size': tile} if tile else {},
                                **options)
    return file.getvalue()
