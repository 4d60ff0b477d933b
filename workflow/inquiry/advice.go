package inquiry

import (
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Advice is the consultant's structured answer.
type Advice struct {
	BottomLine string   `json:"bottom_line" jsonschema:"two or three sentences"`
	Steps      []string `json:"steps"`
	Effort     string   `json:"effort" jsonschema:"quick (under an hour), short (hours), medium (a day or two) or large"`
	Confidence string   `json:"confidence"`
	Risks      []string `json:"risks,omitempty"`
}

// Text returns the advice as text for people.
func (a Advice) Text() string {
	var b strings.Builder
	b.WriteString("Recommendation: " + strings.TrimSpace(a.BottomLine))
	for i, s := range a.Steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, plaintext.OneLine(s))
	}
	fmt.Fprintf(&b, "\nEffort: %s. Confidence: %s.", a.Effort, a.Confidence)
	for _, r := range a.Risks {
		fmt.Fprintf(&b, "\nRisk: %s", plaintext.OneLine(r))
	}
	return b.String()
}

// Missing returns what is wrong or missing in the advice, or an empty string if it may be given.
func (a Advice) Missing() string {
	switch {
	case plaintext.Blank(a.BottomLine):
		return "bottom_line has to say what you recommend"
	case len(a.Steps) > 7:
		return fmt.Sprintf("%d steps are too many to act on; seven at most", len(a.Steps))
	case len(a.Risks) > 3:
		return "name the three risks that matter most"
	}
	return ""
}
