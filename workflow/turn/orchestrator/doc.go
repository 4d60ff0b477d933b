// Package orchestrator has the tools of the agent that leads a session: it answers, asks,
// restates a request, reports a cause or a diagnosis, proposes a plan, delegates tasks, and
// finishes. What it may do is decided here and not in prompts. How these tools are shown to the
// model is declared in workflow/agent/decision.
package orchestrator
