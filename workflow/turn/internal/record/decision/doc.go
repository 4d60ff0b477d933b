// Package decision defines the tools by which agents decide: the input of each, its description for the model
// (tools/NAME.md) and the interfaces that it calls. It carries nothing out: OrchestratorTools and WorkerTools
// are implemented in workflow/turn (orchestrator, worker, inquiry), where a decision is recorded or refused.
//
// A new tool of this kind needs a method in one of these interfaces, a line in the list of the agent that
// gets it (Leading, Working, …) and its text in tools. Tools that read, run or edit are in workflow/tool.
package decision
