"""Packaging by pbr; a tree without its own .git takes the version of setup.cfg."""
import configparser
import os

import setuptools

HERE = os.path.dirname(os.path.abspath(__file__))
if not os.path.exists(os.path.join(HERE, '.git')):
    # pbr asks git for the version and fails in an unpacked archive; worse, below another
    # project's checkout it would take that project's.
    declared = configparser.ConfigParser()
    declared.read(os.path.join(HERE, 'setup.cfg'))
    os.environ.setdefault('PBR_VERSION', declared['metadata']['version'])

setuptools.setup(setup_requires=['pbr>=6.0.0'], pbr=True)
