// Package orchestrator implements the tools of the agent that leads a session: it answers, asks,
// restates a request, reports a cause or a diagnosis, proposes a plan, delegates tasks, and finishes.
// What the agent may do is decided here and not in prompts. Package workflow/turn/internal/record/decision
// declares how the tools are shown to the model.
package orchestrator
