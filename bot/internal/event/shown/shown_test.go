package shown

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatIsTooMuchIsNamed checks that what is left out of large tables and charts is named.
func TestWhatIsTooMuchIsNamed(t *testing.T) {
	t.Parallel()
	cell := func(text string) any { return map[string]any{"type": "raw_text", "text": text} }
	row := func(n int, text string) (cells []any) {
		for range n {
			cells = append(cells, cell(text))
		}
		return cells
	}
	points := func(n int, label string) (all []any) {
		for i := range n {
			all = append(all, map[string]any{"label": fmt.Sprintf("%s%d", label, i), "value": i})
		}
		return all
	}
	table := func(rows ...any) any { return map[string]any{"type": "table", "rows": rows} }
	chart := func(of map[string]any) any { return map[string]any{"type": "data_visualization", "chart": of} }
	series := map[string]any{"name": "p99", "data": points(maxRows+2, "h")}
	long := strings.Repeat("long ", maxCell)
	for _, c := range []struct {
		name  string
		block any
		want  string
	}{
		{"all of it", table(row(2, "a"), row(2, "b")), ""},
		{"a long cell", table(row(2, long)), "the rest of a long cell"},
		{"columns", table(row(maxColumns+3, "a")), "3 columns of a table"},
		{"slices", chart(map[string]any{"segments": points(maxRows+4, "s")}), "4 points of a chart"},
		{"points", chart(map[string]any{"series": []any{series}}), "2 points of a chart"},
		{"a label", chart(map[string]any{"segments": points(1, long)}), "the rest of a long label"},
	} {
		raw, err := json.Marshal(map[string]any{"text": "see", "blocks": []any{c.block}})
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(Read(raw).Unread, ", "), c.name)
	}
}
