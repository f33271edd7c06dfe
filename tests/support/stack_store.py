"""The object store of a stack, as others reach it from this machine: who delivers, and who reads the lake."""

from pathlib import Path

from spark_jobs.store.delta_options import delta_options
from spark_jobs.store.object_folder import open_store
from spark_jobs.store.store_access import StoreAccess, StoreKeys
from support.lagoon_stack import LagoonStack
from support.stored_landing import upload_files
from support.stored_tables import tables

LANDING = "s3a://landing/lagoon"
LAKE = "s3a://lake/lagoon"
# Lines of .env.
SETTINGS = {
    "LAGOON_LANDING": LANDING,
    "LAGOON_LAKE": LAKE,
    "LAGOON_STORE_ENDPOINT": "http://store:9000",
}


def access(stack: LagoonStack, user: str) -> StoreAccess:
    keys = StoreKeys(user, stack.secrets[f"STORE_{user.upper()}_SECRET"])
    return StoreAccess(f"http://127.0.0.1:{stack.ports['STORE_PORT']}", keys=keys)


def deliver_to_store(stack: LagoonStack, landing: Path) -> None:
    upload_files(landing, open_store(LANDING, access(stack, "delivery")))


def folder_in_store(stack: LagoonStack, uri: str) -> Path:
    """Where the store keeps the objects below a URI."""
    return stack.volume("objects") / uri.removeprefix("s3a://")


def stored_tables(stack: LagoonStack, lake: str) -> dict[str, list[str]]:
    return tables(lake, delta_options(lake, access(stack, "reader")), folder_in_store(stack, lake))
