package prompt

import (
	"encoding/json"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// ReportForWorkers is what a report says, less what it asks of the people who read it.
func ReportForWorkers(r workflow.Report) string {
	var request workflow.Request
	var plan workflow.Plan
	switch {
	case r.Kind == workflow.ReportRequest && json.Unmarshal(r.Body, &request) == nil:
		return request.Text()
	case r.Kind == workflow.ReportPlan && json.Unmarshal(r.Body, &plan) == nil:
		return plan.Text()
	}
	said, _, _ := strings.Cut(r.Text, " No code was changed.")
	return said
}
