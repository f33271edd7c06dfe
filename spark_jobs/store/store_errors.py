"""What an object store answered instead of what was asked, in one sentence with what to do next."""

import contextlib
import re
from collections.abc import Iterator

from spark_jobs.errors import UserError
from spark_jobs.store.store_access import StoreAccess, in_store, is_s3

_RUN_AGAIN = "then run this again: no table is half-written"
_REFUSED = re.compile(
    r"InvalidAccessKeyId|UserNotFound|SignatureDoesNotMatch|AccessDenied|Access Denied|Status Code: 40[13]\b|40[13] Forbidden"
    r"|401 Unauthorized|HTTP status 40[13]|ACCESS_DENIED|InvalidToken|ExpiredToken",
    re.IGNORECASE,
)
# The address at which a machine in Amazon's cloud asks for keys, when it has none from elsewhere.
_NO_KEYS = re.compile(
    r"Missing (SecretAccessKey|AccessKeyId)|169\.254\.169\.254|NoAuthWithAWSException|No AWS Credentials"
    r"|Unable to load credentials",
    re.IGNORECASE,
)
_WRONG_CLOCK = re.compile(r"Request_?Time_?Too_?Skewed", re.IGNORECASE)
_NO_BUCKET = re.compile(
    r"NoSuchBucket|NO_SUCH_BUCKET|specified bucket does not exist|does bucket .* exist", re.IGNORECASE
)
_SLOW_DOWN = re.compile(
    r"SlowDown|SLOW_DOWN|ServiceUnavailable|SERVICE_UNAVAILABLE|Status Code: 503|status (code: )?503|503 Service|503 Slow"
    r"|reduce your request rate",
    re.IGNORECASE,
)
_SILENT = re.compile(
    r"NETWORK_CONNECTION|error sending request|HTTP error: (request|error)|Unable to execute HTTP request|SdkClientException"
    r"|curlCode|ConnectTimeout|SocketTimeout|operation timed out|Connection refused|Connect to .* failed|Connection reset"
    r"|UnknownHostException|AWSClientIOException|Status Code: 50[024]|HTTP status (code: )?50[024]|50[024] (Internal|Bad|Gateway)"
    r"|premature end|unexpected end of file|body error|incomplete message|Error performing [A-Z]+ http\S+ in \S+, after \d+ retries",
    re.IGNORECASE,
)
# What only an object store says, in messages of Spark that may speak of anything.
_OF_A_STORE = re.compile(r"s3a?://|s3a\.|obstore|awssdk|AWS Error|object[_ ]store|s3fs", re.IGNORECASE)
# Of the libraries that send requests, and not of what is in a file.
_OF_A_CLIENT = re.compile(r"Generic \w+ error|AWS Error|S3Exception|AwsServiceException|SdkException")
_MISSING = re.compile(r"NO_SUCH_KEY|NoSuchKey|RESOURCE_NOT_FOUND|Path does not exist|FileNotFound|404 Not Found")


@contextlib.contextmanager
def store_errors(uri: str, access: StoreAccess) -> Iterator[None]:
    """Raises errors of the libraries that read and write stores as UserError. On this machine it does nothing."""
    if not in_store(uri):
        yield
        return
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as error:
        raise store_problem(str(error), uri, access) or unknown_problem(str(error), uri) from error


def store_problem(message: str, uri: str, access: StoreAccess) -> UserError | None:
    """The error of a message by a library that reads or writes the store, or None if it is about something else."""
    where = f"{uri} ({access.endpoint})" if access.endpoint and is_s3(uri) else uri
    if _NO_KEYS.search(message):
        return UserError(
            f"there are no keys for the object store of {where}",
            "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.credentials_file",
        )
    if _WRONG_CLOCK.search(message):
        return UserError(
            f"the clock of this machine is too far from that of the object store of {where}",
            f"Correct it, {_RUN_AGAIN}",
        )
    if _REFUSED.search(message):
        return UserError(
            f"the object store of {where} refuses the keys, or what they may do",
            "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or store.credentials_file, and allow them to list, read, "
            "write and delete there",
        )
    if _NO_BUCKET.search(message):
        return UserError(
            f"the object store has no bucket for {where}", "Create it, or correct the URI or store.endpoint"
        )
    if _SLOW_DOWN.search(message):
        return UserError(
            f"the object store of {where} refuses requests for now (503)", f"Wait until it has recovered, {_RUN_AGAIN}"
        )
    if _SILENT.search(message):
        return UserError(f"the object store of {where} does not answer", f"Look whether it works, {_RUN_AGAIN}")
    if _MISSING.search(message) or not _OF_A_CLIENT.search(message):
        return None
    # Whatever it is, it is no damage of a table, for which the remedy would be to delete it.
    return unknown_problem(message, uri)


def is_about_a_store(message: str) -> bool:
    return any(pattern.search(message) for pattern in (_OF_A_STORE, _OF_A_CLIENT))


def unknown_problem(message: str, uri: str) -> UserError:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return UserError(f"the object store of {uri} failed: {(lines or ['no reason given'])[0][:200]}", "Run this again")
