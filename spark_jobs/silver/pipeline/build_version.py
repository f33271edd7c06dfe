"""The version of the way in which silver is built. It stands alone, so that it can be read without importing Spark."""

# The LAKE_VERSION in which silver last began to build other rows from the same inputs, or to write its end-of-day states in
# another version: every day that another one built is stale.
BUILD_VERSION = 13
