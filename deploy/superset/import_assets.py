"""Imports the dashboard of the lake, its charts and the database, unless they were imported before: what somebody has changed
stays as it is."""

from pathlib import Path

import yaml
from flask import g
from superset.app import create_app

ASSETS = Path(__file__).parent / "assets"

with create_app().app_context():
    # Superset's models need the application.
    from superset import db, security_manager
    from superset.commands.dashboard.importers.v1 import ImportDashboardsCommand
    from superset.models.core import Database
    from superset.models.dashboard import Dashboard

    contents = {str(file.relative_to(ASSETS)): file.read_text("utf-8") for file in sorted(ASSETS.rglob("*.yaml"))}
    database, dashboard = (yaml.safe_load(contents[f"{folder}/lagoon.yaml"]) for folder in ("databases", "dashboards"))
    if not db.session.query(Dashboard).filter_by(uuid=dashboard["uuid"]).count():
        # One of this name that has no dashboard yet becomes the one that the charts ask.
        db.session.query(Database).filter_by(database_name=database["database_name"]).update({"uuid": database["uuid"]})
        g.user = security_manager.find_user("admin")
        ImportDashboardsCommand(contents).run()
