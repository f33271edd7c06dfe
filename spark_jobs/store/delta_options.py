"""How the deltalake package reaches a table in an object store."""

from spark_jobs.store.store_access import StoreAccess, is_s3


def delta_options(uri: str, access: StoreAccess) -> dict[str, str]:
    """Its options; none on this machine, and for stores that it reaches by the variables of their own tools."""
    if not is_s3(uri):
        return {}
    options = {
        "region": access.region,
        "allow_http": str(not access.is_encrypted).lower(),
        "virtual_hosted_style_request": str(not access.in_path).lower(),
        # The store refuses a commit whose number another process has taken.
        "conditional_put": "etag",
        "timeout": "30s",
    }
    if access.endpoint:
        options["endpoint"] = access.endpoint
    if access.keys is not None:
        options |= {"access_key_id": access.keys.access_key, "secret_access_key": access.keys.secret_key}
        if access.keys.session_token:
            options["session_token"] = access.keys.session_token
    return options
