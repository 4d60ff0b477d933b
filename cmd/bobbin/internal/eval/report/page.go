package report

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// page writes the run as one self-contained HTML page.
func (r Run) page(w io.Writer) error {
	type row struct {
		Result
		Cells []string
	}
	var rows []row
	for _, x := range r.Results {
		rows = append(rows, row{x, x.cells()})
	}
	return page.Execute(w, struct {
		Run
		Rows []row
	}{r, rows})
}
