package workflow

import "strings"

// A ReportForm is what a person enters to report a bug or to ask for a feature: what a good report says, one
// answer each.
type ReportForm struct {
	Title, Submit string
	Begins        string // what the thread's first message says of the person
	Done          string // what the person has done who sent it
	Inputs        []ReportInput
}

// A ReportInput is one question of a form.
type ReportInput struct {
	Name        string // of the input
	Label, Hint string
	Says        string // precedes the answer in the report; empty: the answer begins the report
	Most        int    // characters
}

// ReportFormOf returns the form of a button for which IsReportForm holds.
func ReportFormOf(action ActionID) ReportForm {
	if action == ButtonFeature {
		return ReportForm{
			Title: "Ask for a feature", Submit: "Ask", Begins: "asks for a feature", Done: "Asked",
			Inputs: []ReportInput{
				{"words", "What do you want?", "One thing, as a person would see it.", "", 1500},
				{"affects", "What does it affect?", "Pages, commands, parts of the code.", "It affects", 600},
				{
					"constraints", "What has to be used or kept?", "Components, formats, limits.",
					"To be used or kept", 600,
				},
				{
					"done", "How can one tell that it is done?", "What works then that does not today.",
					"It is done when", 600,
				},
			},
		}
	}
	return ReportForm{
		Title: "Report a bug", Submit: "Report", Begins: "reports a bug", Done: "Reported",
		Inputs: []ReportInput{
			{"words", "What broke?", "The message, the wrong output, the crash.", "", 1500},
			{"when", "When does it break?", "The exact condition, and since when.", "It breaks", 600},
			{"works", "What works?", "The nearest case that is right.", "It works", 600},
			{"where", "Where to look?", "A log line, an endpoint, a function, a file.", "Where to look", 600},
		},
	}
}

// Text returns the report that the answers make, by the names of their inputs. It is empty if the first
// question has no answer.
func (f ReportForm) Text(answer func(name string) string) string {
	var lines []string
	for _, in := range f.Inputs {
		said := strings.TrimSpace(answer(in.Name))
		switch {
		case in.Says == "" && said == "":
			return ""
		case in.Says == "":
			lines = append(lines, said)
		case said != "":
			lines = append(lines, in.Says+": "+said)
		}
	}
	return strings.Join(lines, "\n")
}
