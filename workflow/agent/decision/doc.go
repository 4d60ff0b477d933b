// Package decision is the tools by which agents decide: what each takes, how it is described to
// the model (tools/NAME.md), and whom it reaches. It carries nothing out: OrchestratorTools and
// WorkerTools are implemented in workflow/turn (orchestrator, worker, inquiry), where a decision
// is recorded or refused.
//
// A new tool of this kind is a method of one of these interfaces, a line in the list of whoever
// has it (Leading, Working, …) and its text in tools. Tools that read, run or edit are in
// workflow/tool.
package decision
