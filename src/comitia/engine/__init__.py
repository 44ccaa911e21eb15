"""The sums over objects that linear methods are made of, wherever the labels are.

An ensemble is one row block or several (:mod:`comitia.engine.row_blocks`). Each block
has an engine, chosen once: sparse products for few labels and for memberships, compiled
kernels for many labels, PyTorch for labels on a device. What engines answer is in
:class:`comitia.engine.protocol.Engine`; a method asks and does not look where the
labels are.

- ``protocol``: what engines and the rows of k-means answer.
- ``sparse``, ``compiled``, ``device``: three implementations of both.
- ``row_blocks``: one value for each block, and equal rows merged.
- ``tables``: contingency tables, and sums over them, of all blocks.
- ``storage``, ``device_labels``: where the labels of an ensemble are kept.
"""

__all__: list[str] = []
