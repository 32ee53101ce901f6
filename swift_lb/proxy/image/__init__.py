"""Parts of images: what a proxy reads, has decoded, keeps and sends."""
