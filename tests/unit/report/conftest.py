"""Lets the tests of reports import the histories made for them."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
