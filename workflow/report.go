package workflow

// The kinds of what a person's word may stand on.
const (
	ReportRootCause = "root_cause"
	ReportDiagnosis = "diagnosis"
	ReportRequest   = "request"
	ReportPlan      = "plan"
)
