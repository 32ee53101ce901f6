"""Packaging by pbr: the version is that of PKG-INFO, or of git; without both, of setup.cfg."""
import configparser
import os

import setuptools

HERE = os.path.dirname(os.path.abspath(__file__))
if not any(os.path.exists(os.path.join(HERE, name)) for name in ('PKG-INFO', '.git')):
    # An archive of the tree. pbr would ask git, and fail, or take the version of another project
    # whose checkout is around it. An sdist has its version in PKG-INFO, which pbr reads first.
    declared = configparser.ConfigParser()
    declared.read(os.path.join(HERE, 'setup.cfg'))
    os.environ.setdefault('PBR_VERSION', declared['metadata']['version'])

setuptools.setup(setup_requires=['pbr>=5.10'], pbr=True)
