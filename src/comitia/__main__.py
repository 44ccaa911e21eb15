"""``python -m comitia`` does what ``comitia`` does."""

import sys

from comitia.cli import main

sys.exit(main())
