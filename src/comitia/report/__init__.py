"""Reports: a result as one page that opens offline, for people."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_alerts": ["Alert", "result_alerts"],
        "write": ["write_comparison", "write_report"],
    },
)
