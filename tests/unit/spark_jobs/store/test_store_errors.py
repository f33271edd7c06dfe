"""What Arrow, obstore, deltalake and S3A say when a store fails, and the sentence that a user reads instead."""

import pytest

from spark_jobs.failure_causes import known_cause
from spark_jobs.settings import load

SETTINGS = load(
    lake="s3a://bucket/lake", landing="/landing", environment={"LAGOON_STORE_ENDPOINT": "http://store:9000"}
)
SILENT = "the object store of s3a://bucket/lake (http://store:9000) does not answer."
REFUSES = "the object store of s3a://bucket/lake (http://store:9000) refuses requests for now (503)."
KEYS = "the object store of s3a://bucket/lake (http://store:9000) refuses the keys"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            "OSError: When uploading object with key 'lake/x' in bucket 'bucket': AWS Error NETWORK_CONNECTION during PutObject "
            "operation: curlCode: 7, Could not connect to server; Details: Failed to connect to 127.0.0.1 port 9",
            SILENT,
        ),
        (
            "OSError: Kernel error -> Generic S3 error\n ↳ Error performing GET http://127.0.0.1:9/bucket/lake/gold/lag/_delta_log/"
            "_last_checkpoint in 4.519348742s, after 10 retries, max_retries\n ↳ 10, retry_timeout\n ↳ 180s  - HTTP error\n"
            " ↳ error sending request\n ↳ client error (Connect)\n ↳ tcp connect error\n ↳ Connection refused (os error 111)",
            SILENT,
        ),
        (
            "OSError: Kernel error -> Generic S3 error\n ↳ Error performing GET http://127.0.0.1:9/bucket/lake/gold/lag/_delta_log/"
            "_last_checkpoint in 2.4s, after 10 retries, max_retries\n ↳ 10, retry_timeout\n ↳ 180s  - Server returned non-2xx "
            "status code\n ↳ 503 Service Unavailable\n ↳ <Error><Code>SlowDown</Code></Error>",
            REFUSES,
        ),
        (
            "OSError: When reading information for key 'lake/x' in bucket 'bucket': AWS Error UNKNOWN (HTTP status 503) during "
            "HeadObject operation: No response body.",
            REFUSES,
        ),
        (
            "OSError: When getting information for key 'lake' in bucket 'bucket': AWS Error ACCESS_DENIED during HeadObject "
            "operation: No response body.",
            KEYS,
        ),
        (
            "GenericError: Generic S3 error: Error performing GET http://store:9000/bucket?list-type=2 in 1.8ms - Server returned "
            "non-2xx status code: 403 Forbidden: <Error><Code>RequestTimeTooSkewed</Code><Message>The difference between the "
            "request time and the current time is too large.</Message></Error>",
            "the clock of this machine is too far from that of the object store of s3a://bucket/lake",
        ),
        (
            "Py4JJavaError: An error occurred while calling o1.commit.\n: java.io.IOException: the lease of the lake has ended, so "
            "s3a://bucket/lake/quality/runs/_delta_log/00000000000000000003.json is not written",
            "this process could not renew its lease of s3a://bucket/lake within 120 s",
        ),
        (
            '    raise UserError(f"the object {uri}/{path} is not there", "It was removed meanwhile") from error\n'
            "UserError: the object s3a://bucket/landing/lag_metrics/cluster=eu/date=2026-11-18/a b.txt is not there. It was removed "
            "meanwhile.",
            "s3a://bucket/landing/lag_metrics/cluster=eu/date=2026-11-18/a b.txt was removed while it was read.",
        ),
        # Not known: but nobody may be asked to delete a table for it.
        (
            "OSError: Kernel error -> Generic S3 error\n ↳ Something new about s3a://bucket/lake/gold/lag/_delta_log",
            "the object store of s3a://bucket/lake failed: OSError: Kernel error -> Generic S3 error. Run this again.",
        ),
        # A file that is gone from the store is what it is in a folder.
        (
            "FileNotFoundError: [Errno 2] Path does not exist 'bucket/lake/bronze/log_lines/x.parquet'. Detail: AWS Error NO_SUCH_KEY",
            "bronze.log_lines has a data file that is missing or damaged.",
        ),
    ],
)
def test_a_failing_store_is_one_sentence_and_no_damaged_table(message: str, sentence: str) -> None:
    known = known_cause(message, SETTINGS)

    assert known is not None
    assert str(known).startswith(sentence)
    assert ("missing" in sentence) == ("delete it" in str(known))


def test_a_lake_on_this_machine_has_no_trouble_with_stores() -> None:
    assert known_cause("Generic S3 error: error sending request", load(lake="/lake", environment={})) is None
