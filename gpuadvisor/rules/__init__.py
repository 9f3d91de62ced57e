"""The rule engine: rules from YAML, judged over whole tables, findings ranked and folded."""

from gpuadvisor.rules.engine import evaluate
from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.load import RuleSet, load_rules
from gpuadvisor.rules.model import Context, Rule
from gpuadvisor.rules.paths import rules_dir

__all__ = ["Context", "Rule", "RuleError", "RuleSet", "evaluate", "load_rules", "rules_dir"]
