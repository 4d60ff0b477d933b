package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// TestLimitsOfChecks reads the limits of two repositories and the most that the file allows.
func TestLimitsOfChecks(t *testing.T) {
	t.Parallel()
	const file = "repositories:\n- name: big\n  url: /a\n" +
		"  checks: {test: make test, minutes: 40, memory: 1 GB, processes: 2k, disk: 10 GB}\n" +
		"- {name: small, url: /b}\n"
	c, err := parseConfig("c", []byte(file))
	require.NoError(t, err)
	checker := &build.Checker{}
	c.LimitChecks(checker)
	require.Equal(t, sandbox.Limits{
		Time: 40 * time.Minute, Memory: 1 << 30, Processes: 2000, Disk: 10 << 30, FileSize: 10 << 30,
	}, checker.LimitsOf["big"])
	require.Zero(t, checker.LimitsOf["small"])
	require.Equal(t, 10*time.Minute, checker.Limits.Time)
	require.Equal(t, build.DefaultMemory(), checker.Limits.Memory)

	c, err = parseConfig("c",
		[]byte("checks: {minutes: 5, memory: 1 GB}\nrepositories:\n- {name: a, url: /a}\n"))
	require.NoError(t, err)
	c.LimitChecks(checker)
	require.Equal(t, 5*time.Minute, checker.Limits.Time, "the most that is allowed is less than the default")
	require.Equal(t, int64(1<<30), checker.Limits.Memory)

	for checks, want := range map[string]string{
		"checks: {minutes: 300}": "checks.minutes is 300, and at most 240 are allowed",
		"checks: {memory: 8}":    "checks.memory is 8 MB: at least 128 MB are needed",
		"checks: {minutes: -1}":  "checks.minutes is -1: at least 1 are needed",
		"checks: {processes: 4}": "checks.processes is 4: at least 32 are needed",
		"checks: {memory: lots}": "checks.memory",
		"checks: {minuts: 20}":   `unknown key "minuts"`,
	} {
		_, err := parseConfig("c", []byte("repositories:\n- name: a\n  url: /a\n  "+checks+"\n"))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "c:4: ")
	}
}
