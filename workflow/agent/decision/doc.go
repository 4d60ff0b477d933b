// Package decision is the tools by which agents decide: what each takes, how it is described to
// the model (tools/NAME.md), and whom it reaches. It carries nothing out: OrchestratorTools and
// WorkerTools are implemented in workflow/turn (orchestrator, worker,
// inquiry), where a decision is recorded or refused.
package decision
