package prompt

import "github.com/bobbinhq/bobbin/workflow"

// TakenOut tells agents what the program removed from a change, and whether it was put back since.
func TakenOut(r workflow.Removal) string {
	said := "Taken out by the program, since it stands outside the scope of the approval. " +
		"Do not bring it back; an approver can have it put back:\n"
	if r.User != "" {
		said = "Taken out by the program, and put back since, as " + PersonName(r.UserName) +
			", who may approve, said. It may stay:\n"
	}
	return ProgramMark + said + Fence("removed", r.List())
}
