"""Which channels an alert goes to, and what each of them has to get now."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace

from spark_jobs.alerts.alert import SILENCED, WAITING, Alert, ChannelState, newest_by_key
from spark_jobs.alerts.alert_settings import AlertSettings, matches
from spark_jobs.alerts.silences import Silence, longest_silence


def channels_of(alert: Alert, settings: AlertSettings) -> list[str]:
    """The channels of the teams that own its group, and the channels that no team names: these get everything."""
    of_teams = {channel for team in settings.teams.values() for channel in team.channels}
    chosen = {
        channel
        for team in settings.teams.values()
        if alert.group_id and matches(alert.group_id, team.groups) and matches(alert.cluster, team.clusters)
        for channel in team.channels
    }
    return sorted(
        name
        for name, channel in settings.channels.items()
        if (name in chosen or name not in of_teams) and alert.severity in channel.severities
    )


def route(
    alerts: Sequence[Alert], settings: AlertSettings, silences: Sequence[Silence], now: dt.datetime
) -> list[Alert]:
    """The alerts with what each channel still has to get. `now` is also when alerts that are new were opened."""
    newest = newest_by_key(alerts)
    return [_routed(alert, settings, silences, now, is_newest=newest[alert.key] is alert) for alert in alerts]


def _routed(
    alert: Alert, settings: AlertSettings, silences: Sequence[Silence], now: dt.datetime, *, is_newest: bool
) -> Alert:
    if alert.is_open or alert.opened_at == now:
        for channel in channels_of(alert, settings):
            if alert.state_of(channel) is None:
                alert = alert.with_state(ChannelState(channel, 0, WAITING, None, 0))
    behind = any(state.change < alert.change_count for state in alert.deliveries)
    silence = longest_silence(alert, silences, now) if alert.is_open or behind else None
    alert = replace(
        alert,
        silenced_until=silence.expires_at if silence else None,
        silence_reason=silence.reason if silence else None,
    )
    # What a channel of earlier settings never got, it never will.
    states = [state for state in alert.deliveries if state.channel in settings.channels or state.change]
    return replace(alert, deliveries=tuple(_state(alert, state, settings, is_newest) for state in states))


def _state(alert: Alert, state: ChannelState, settings: AlertSettings, is_newest: bool) -> ChannelState:
    if state.change >= alert.change_count:
        return state
    is_silenced = alert.silenced_until is not None
    has_ended_unseen = not alert.is_open and state.change == 0 and (is_silenced or state.outcome == SILENCED)
    if has_ended_unseen or not is_newest or state.channel not in settings.channels:
        # It began and ended while it was silenced, or is back as another alert: there is nothing left to say.
        return state._replace(change=alert.change_count, outcome=SILENCED)
    if is_silenced:
        return state._replace(outcome=SILENCED)
    return state._replace(outcome=WAITING) if state.outcome == SILENCED else state
