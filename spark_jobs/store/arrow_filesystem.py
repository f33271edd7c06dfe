"""The file system in which Arrow reads and writes the files of a folder, on this machine or in an object store."""

import functools

import pyarrow.fs as fs

from spark_jobs.store.store_access import StoreAccess, in_store, is_s3

_ATTEMPTS = 8
_SECONDS_TO_CONNECT = 10
_SECONDS_TO_ANSWER = 60


def arrow_filesystem(uri: str, access: StoreAccess) -> tuple[fs.FileSystem, str]:
    """The file system of a URI, and the path in it. Errors of a store are OSError."""
    if is_s3(uri):
        return _s3(access), uri.partition("://")[2].rstrip("/")
    if in_store(uri):
        filesystem, path = fs.FileSystem.from_uri(uri)
        return filesystem, path.rstrip("/")
    return fs.LocalFileSystem(), uri


@functools.lru_cache(4)
def _s3(access: StoreAccess) -> fs.S3FileSystem:
    keys = access.keys
    return fs.S3FileSystem(
        access_key=keys.access_key if keys else None,
        secret_key=keys.secret_key if keys else None,
        session_token=(keys.session_token or None) if keys else None,
        region=access.region,
        scheme="https" if access.is_encrypted else "http",
        endpoint_override=access.endpoint.partition("://")[2] or None,
        force_virtual_addressing=not access.in_path,
        connect_timeout=_SECONDS_TO_CONNECT,
        request_timeout=_SECONDS_TO_ANSWER,
        # A file of less than one part, as most are, is then written by one request instead of three.
        allow_delayed_open=True,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )
