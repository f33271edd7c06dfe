"""Superset's settings that differ from its defaults."""

import os

SECRET_KEY = os.environ["SUPERSET_SECRET_KEY"]
SQLALCHEMY_DATABASE_URI = f"postgresql+psycopg2://superset:{os.environ['SUPERSET_DATABASE_PASSWORD']}@postgres/superset"
# The pages are served without TLS, to this machine alone.
TALISMAN_ENABLED = True
TALISMAN_CONFIG = {
    "force_https": False,
    "session_cookie_secure": False,
    "content_security_policy": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "blob:", "data:"],
        "worker-src": ["'self'", "blob:"],
        "connect-src": ["'self'"],
        "object-src": "'none'",
        "style-src": ["'self'", "'unsafe-inline'"],
        "script-src": ["'self'", "'strict-dynamic'", "'unsafe-eval'"],
    },
    "content_security_policy_nonce_in": ["script-src"],
}
FEATURE_FLAGS = {"ALERT_REPORTS": False}
