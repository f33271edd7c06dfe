"""The folder of a URI, wherever it is."""

from collections.abc import Callable

from spark_jobs.lake.file_folder import FileFolder
from spark_jobs.lake.local_folder import LocalFolder
from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.lake.stored_folder import StoredFolder
from spark_jobs.lake.write_lock import without_lock
from spark_jobs.settings import Settings
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.store_access import DEFAULT_ACCESS, StoreAccess


def file_folder(
    uri: str, access: StoreAccess = DEFAULT_ACCESS, require_lock: Callable[[], None] = without_lock
) -> FileFolder:
    folder = local_path(uri)
    if folder is None:
        return StoredFolder(ObjectFolder(absolute_uri(uri), access), require_lock)
    return LocalFolder(folder)


def lake_folder(settings: Settings, require_lock: Callable[[], None] = without_lock) -> FileFolder:
    return file_folder(settings.lake, settings.store, require_lock)
