// Package table keeps the sales of a CSV file.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// amountColumn is that of the money.
const amountColumn = "amount"

// A Sale is a row.
type Sale struct {
	Amount Cents
	Fields []string // by column
}

// A Table has the sales and what their columns are called.
type Table struct {
	Columns []string
	Sales   []Sale
}

// Read reads a file with a header.
func Read(r io.Reader) (*Table, error) {
	in := csv.NewReader(r)
	in.TrimLeadingSpace = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	t := &Table{}
	for _, name := range header {
		t.Columns = append(t.Columns, strings.TrimSpace(name))
	}
	amount := slices.Index(t.Columns, amountColumn)
	if amount < 0 {
		return nil, errors.New("there is no column " + amountColumn)
	}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		c, err := ParseCents(strings.TrimSpace(fields[amount]))
		if err != nil {
			line, _ := in.FieldPos(amount)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		t.Sales = append(t.Sales, Sale{c, fields})
	}
}

// Len is how many sales there are.
func (t *Table) Len() int { return len(t.Sales) }

// Sum is what they come to.
func (t *Table) Sum() (sum Cents) {
	for _, s := range t.Sales {
		sum += s.Amount
	}
	return sum
}
