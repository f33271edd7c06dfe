"""Creates the user admin, or gives it the password of the environment, which no command line has."""

import os

from superset.app import create_app

with (app := create_app()).app_context():
    users, password = app.appbuilder.sm, os.environ["SUPERSET_ADMIN_PASSWORD"]
    admin = users.find_user("admin")
    if admin is None:
        users.sync_role_definitions()
        users.add_user(
            "admin", "Lagoon", "Administrator", "admin@localhost", users.find_role("Admin"), password=password
        )
    else:
        users.reset_password(admin.id, password)
