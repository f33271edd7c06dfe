"""All rules. Data: importing it imports neither Spark nor Great Expectations."""

from expectations.arrival_rules import ARRIVAL_RULES
from expectations.client_rules import CLIENT_RULES
from expectations.delivery_rules import DELIVERY_RULES
from expectations.group_rules import GROUP_RULES
from expectations.lag_rules import LAG_RULES
from expectations.offset_rules import OFFSET_RULES
from expectations.rule import Rule

RULES: tuple[Rule, ...] = (*OFFSET_RULES, *LAG_RULES, *GROUP_RULES, *CLIENT_RULES, *DELIVERY_RULES, *ARRIVAL_RULES)
RULE_NAMES: tuple[str, ...] = tuple(dict.fromkeys(rule.name for rule in RULES))
