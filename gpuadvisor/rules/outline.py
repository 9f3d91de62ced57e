"""Templates as prose without numbers: titles and explanations where no finding is at hand."""

from __future__ import annotations

import ast

from gpuadvisor.rules.expressions import Expression, parse_expression
from gpuadvisor.rules.model import Rule
from gpuadvisor.rules.templates import figures, parse_template


def outline(text: str, rule: Rule) -> str:
    """One of the rule's templates with its fields described: a threshold by its value, a choice
    of words by the words, a name by itself, anything else by `N`."""

    def field(expression: Expression) -> str:
        return _described(expression.body, rule, 0)

    return " ".join(parse_template(text).outline(field).split())


def _described(node: ast.expr, rule: Rule, depth: int) -> str:
    if isinstance(node, ast.Name):
        if node.id in rule.thresholds:
            return figures(rule.thresholds[node.id].value)
        if node.id in rule.let and depth < 8:
            chosen = _described(parse_expression(rule.let[node.id]).body, rule, depth + 1)
            if not chosen.startswith(("<", "N")):
                return chosen
        return f"<{node.id.replace('_', ' ')}>"
    if isinstance(node, ast.IfExp):
        words = [_described(part, rule, depth + 1) for part in (node.body, node.orelse)]
        # `'' if n == 1 else 's'`: the longer one says more
        if "" in words:
            return max(words, key=len)
        return words[0] if words[0] == words[1] else " or ".join(words)
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else figures(float(str(node.value)))
    return "N"
