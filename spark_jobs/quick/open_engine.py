"""Opens the quick engine on the lake of the settings."""

from spark_jobs.quick.delta_tables import DeltaTables
from spark_jobs.quick.engine import QuickEngine
from spark_jobs.settings import Settings


def open_engine(settings: Settings) -> QuickEngine:
    return QuickEngine(
        DeltaTables(settings.lake, settings.store),
        memory=settings.text("sql.memory"),
        seconds=settings.integer("sql.seconds"),
    )
