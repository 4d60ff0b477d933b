package metrics_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
)

const deploy = "../../deploy/"

var ours = regexp.MustCompile(`\b(bobbin|go|process)_[a-z_]+\b`)

// unknownNames returns the metric names in text that no replica serves.
func unknownNames(t *testing.T, text string) (names []string) {
	m := metrics.New()
	m.Job("turn", 0, nil)
	m.Asked("deep", 0, nil)
	m.Tool("run", 0, model.Result{}, nil)
	m.Used("deep", "shop", model.Usage{Input: 1})
	m.Command("ok")
	m.Proof("shop", "holds", 0)
	_, _ = m.Transport("slack", refusing{}).RoundTrip(newRequest(t)) //nolint:bodyclose // there is none
	m.ReadShared(func(context.Context) (metrics.Shared, error) {
		return metrics.Shared{
			Sessions: map[string]int{"done": 1},
			Waits:    map[string]time.Duration{"turn": 1},
			Due:      map[string]int{"turn": 1},
		}, nil
	}, slog.New(slog.DiscardHandler))
	served := map[string]bool{}
	for _, name := range ours.FindAllString(scrape(t, m), -1) {
		served[name] = true
	}
	for _, name := range ours.FindAllString(text, -1) {
		if !served[name] {
			names = append(names, name)
		}
	}
	return names
}

// The dashboard and the alert rules name only existing metrics,
// so a renamed metric leaves no panel empty and no alert silent.
func TestDashboardAndAlertsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"grafana-dashboard.json", "alerts.yaml"} {
		text, err := os.ReadFile(deploy + file)
		require.NoError(t, err)
		require.NotEmpty(t, ours.FindAllString(string(text), -1), file)
		require.Empty(t, unknownNames(t, string(text)), file)
	}
	require.Equal(t, []string{"bobbin_queue_age"}, unknownNames(t, "max(bobbin_queue_age) > 1"),
		"control: a name that nobody serves")
}

// Each panel has a unique id, and panels do not overlap.
func TestDashboardIsLaidOut(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(deploy + "grafana-dashboard.json")
	require.NoError(t, err)
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
			Type    string
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		require.True(t, p.Type == "row" || len(p.Targets) > 0, p.Title)
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestAlertsFire runs Prometheus' promtool, which checks the rules and plays
// the outages of alerts_test.yaml. promtool is in Debian's package prometheus.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here (Debian's package prometheus); " +
			"the names in the rules are checked without it")
	}
	for _, args := range [][]string{
		{"check", "rules", "alerts.yaml"},
		{"test", "rules", "alerts_test.yaml"},
	} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = deploy
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}
