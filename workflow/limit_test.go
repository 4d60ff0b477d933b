package workflow_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestUseInWords(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]workflow.LimitUse{
		"$4.02 of $5.00 used in this session (session_usd)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD), Used: 4.016, Allowed: 5,
		},
		"$0.0099 of $0.0090 used in this session (session_usd)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitUSD), Used: 0.0099, Allowed: 0.009,
		},
		"1,234,567 of 1,000,000 tokens used in this session (session_tokens)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitTokens), Used: 1234567, Allowed: 1e6,
		},
		"1 of 1 command used in this session (session_commands)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitCommands), Used: 1, Allowed: 1,
		},
		"60 of 60 minutes of work used in this session (session_minutes)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitMinutes), Used: 60, Allowed: 60,
		},
		"$20.00 of $20.00 used today in all sessions (day_usd)": {
			Limit: workflow.LimitOf(workflow.SpanDay, workflow.UnitUSD), Used: 20, Allowed: 20,
		},
		"$20.00 of $20.00 used today in this channel (channel_day_usd)": {
			Limit: workflow.LimitOf(workflow.SpanChannelDay, workflow.UnitUSD), Used: 20, Allowed: 20,
		},
		"$2.00 of $1.00 used today by the person who asked (person_day_usd)": {
			Limit: workflow.LimitOf(workflow.SpanPersonDay, workflow.UnitUSD), Used: 2, Allowed: 1,
		},
		"12.3 of 10 MB of output used in this session (session_output_mb)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitOutput), Used: 12.34, Allowed: 10,
		},
		"100 of 100 MB on disk used in this session (session_disk_mb)": {
			Limit: workflow.LimitOf(workflow.SpanSession, workflow.UnitDisk), Used: 100.04, Allowed: 100,
		},
		"1,000 of 1,000 tokens used today by the person who asked (person_day_tokens)": {
			Limit: workflow.LimitOf(workflow.SpanPersonDay, workflow.UnitTokens), Used: 1000, Allowed: 1000,
		},
		"61 of 60 minutes of work used today in this channel (channel_day_minutes)": {
			Limit: workflow.LimitOf(workflow.SpanChannelDay, workflow.UnitMinutes), Used: 61, Allowed: 60,
		},
		"1 of 1 minute of work used today in all sessions (day_minutes)": {
			Limit: workflow.LimitOf(workflow.SpanDay, workflow.UnitMinutes), Used: 1, Allowed: 1,
		},
		"5 of 5 tokens used today in all sessions (day_tokens)": {
			Limit: workflow.LimitOf(workflow.SpanDay, workflow.UnitTokens), Used: 5, Allowed: 5,
		},
		"0.5 of 1 MB on disk used today by the person who asked (person_day_disk_mb)": {
			Limit: workflow.LimitOf(workflow.SpanPersonDay, workflow.UnitDisk), Used: 0.5, Allowed: 1,
		},
		"3 of 3 commands used today in this channel (channel_day_commands)": {
			Limit: workflow.LimitOf(workflow.SpanChannelDay, workflow.UnitCommands), Used: 3, Allowed: 3,
		},
		"2.5 of 2 MB of output used today in all sessions (day_output_mb)": {
			Limit: workflow.LimitOf(workflow.SpanDay, workflow.UnitOutput), Used: 2.5, Allowed: 2,
		},
		"7 of 8 used in this session (of_another_version)": {
			Limit: "of_another_version", Used: 7, Allowed: 8,
		},
	} {
		require.Equal(t, want, u.String())
	}
	require.Empty(t, workflow.LimitUse{}.Ends())
	require.Equal(t, "the day ends at 00:00 UTC, in 9 h 21 min",
		workflow.LimitUse{Day: "2026-03-02", Left: 9*time.Hour + 20*time.Minute + time.Second}.Ends())
	require.Equal(t, "the day ends at 00:00 UTC, in 1 min",
		workflow.LimitUse{Day: "2026-03-02", Left: time.Second}.Ends())
}

func TestNearAndReached(t *testing.T) {
	t.Parallel()
	for used, want := range map[float64][2]bool{
		3.99: {false, false},
		4:    {true, false},
		4.99: {true, false},
		5:    {true, true},
		6:    {true, true},
	} {
		u := workflow.LimitUse{Used: used, Allowed: 5}
		require.Equal(t, want, [2]bool{u.Near(), u.Reached()}, used)
	}
}
