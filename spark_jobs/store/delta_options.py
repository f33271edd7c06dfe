"""How the deltalake package reaches a table in an object store."""

from spark_jobs.store.store_access import StoreAccess, is_s3


def delta_options(uri: str, access: StoreAccess) -> dict[str, str]:
    """Its options; none on this machine, and for stores that it reaches by the variables of their own tools."""
    if not is_s3(uri):
        return {}
    return {
        **access.s3_options(),
        "allow_http": str(not access.is_encrypted).lower(),
        # The store refuses a commit whose number another process has taken.
        "conditional_put": "etag",
        "timeout": "30s",
    }
