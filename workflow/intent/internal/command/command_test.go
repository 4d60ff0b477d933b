package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/command"
)

// commands are messages that give a command, with the text that follows the command.
var commands = []struct {
	text    string
	command workflow.Command
	rest    string
}{
	// A question to the consultant as the first sentence.
	{
		"ask the oracle whether the pool may outlive the proxy", workflow.CommandConsult,
		"whether the pool may outlive the proxy",
	},
	{"Ask the consultant: is it safe?", workflow.CommandConsult, "is it safe?"},
	{"ASK ORACLE IF WE LEAK CONNECTIONS", workflow.CommandConsult, "IF WE LEAK CONNECTIONS"},
	{"please ask the oracle why Split rounds twice.", workflow.CommandConsult, "why Split rounds twice"},
	{
		", ask the oracle how `pool.Close()` behaves, please 🙏", workflow.CommandConsult,
		"how `pool.Close()` behaves",
	},
	{"consult the oracle on the pool size", workflow.CommandConsult, "the pool size"},
	{"consult the consultant about the lock", workflow.CommandConsult, "the lock"},
	{"can you ask the oracle whether this is safe?", workflow.CommandConsult, "whether this is safe?"},
	{"Could you ask the oracle?", workflow.CommandConsult, ""},
	{"ask the oracle first, please", workflow.CommandConsult, ""},
	{"ask the oracle", workflow.CommandConsult, ""},
	{"let's ask the consultant - is the guard too wide", workflow.CommandConsult, "is the guard too wide"},
	{
		"ask the oracle “may the pool outlive the proxy?”", workflow.CommandConsult,
		"may the pool outlive the proxy?",
	},
	{"ask the oracle's opinion on the guard", workflow.CommandConsult, "the guard"},
	{"ask Pythia about the cache", workflow.CommandConsult, "the cache"},
	{"ask @pythia about the cache", workflow.CommandConsult, "the cache"},
	{"ask pythia of delphi what breaks", workflow.CommandConsult, "what breaks"},
	{"get a second opinion", workflow.CommandConsult, ""},
	{"get a second opinion on the guard", workflow.CommandConsult, "the guard"},
	{"second opinion, please", workflow.CommandConsult, ""},
	{"we need a second opinion from the oracle on the lock", workflow.CommandConsult, "the lock"},
	{"> it is the pool\nask the oracle whether that is so", workflow.CommandConsult, "whether that is so"},
	{"/consult is the pool too small?", workflow.CommandConsult, "is the pool too small?"},
	{"please /consult is the pool too small?", workflow.CommandConsult, "is the pool too small?"},

	// A question to the consultant as the last sentence.
	{
		"The totals are off. Ask the oracle whether it is rounding.", workflow.CommandConsult,
		"whether it is rounding",
	},
	{
		"The totals are off\nask the oracle whether it is rounding", workflow.CommandConsult,
		"whether it is rounding",
	},
	{
		"The totals are off! Please ask the consultant: is it rounding? Thanks!", workflow.CommandConsult,
		"is it rounding?",
	},
	{"I do not trust the guard. Get a second opinion.", workflow.CommandConsult, ""},
	{"Version 1.2 is off. Can you ask the oracle why?", workflow.CommandConsult, "why?"},
	{
		"It is off. Ask the oracle whether this is it:\n```\npool closed\n```", workflow.CommandConsult,
		"whether this is it:\n```\npool closed\n```",
	},

	{"diagnose", workflow.CommandDiagnose, ""},
	{"Diagnose this!", workflow.CommandDiagnose, ""},
	{"diagnose this pls 🙏", workflow.CommandDiagnose, ""},
	{"please diagnose it: the cart is off", workflow.CommandDiagnose, "the cart is off"},
	{"diagnose the bug first", workflow.CommandDiagnose, ""},
	{"can you diagnose this?", workflow.CommandDiagnose, ""},
	{"diagnose it before you fix anything", workflow.CommandDiagnose, "before you fix anything"},
	{"run a diagnosis", workflow.CommandDiagnose, ""},
	{"Run a diagnosis on the refund job", workflow.CommandDiagnose, "the refund job"},
	{"diagnosis first please", workflow.CommandDiagnose, ""},
	{"Diagnosis first, please: order 1042 is off", workflow.CommandDiagnose, "please: order 1042 is off"},
	{"/diagnose\n> order 1042 is off", workflow.CommandDiagnose, "> order 1042 is off"},

	{"grill me", workflow.CommandGrillMe, ""},
	{"Grill me on the export", workflow.CommandGrillMe, "the export"},
	{"grill me about this", workflow.CommandGrillMe, ""},
	{"grill me on: a dark mode", workflow.CommandGrillMe, "a dark mode"},
	{"please interview me: a wish list", workflow.CommandGrillMe, "a wish list"},
	{"interview me first", workflow.CommandGrillMe, ""},
	{"can you interview me about the wish list", workflow.CommandGrillMe, "the wish list"},
	{"interview me before you build it", workflow.CommandGrillMe, "before you build it"},
	{"/grill-me “dark mode”", workflow.CommandGrillMe, "dark mode"},

	{"write a plan", workflow.CommandStartWork, ""},
	{"Write a plan first, please.", workflow.CommandStartWork, ""},
	{"write a plan for moving sessions", workflow.CommandStartWork, "moving sessions"},
	{"plan this first", workflow.CommandStartWork, ""},
	{"plan it first: sessions in redis", workflow.CommandStartWork, "sessions in redis"},
	{"could you write a plan for this?", workflow.CommandStartWork, ""},
	{"/start-work move sessions to redis", workflow.CommandStartWork, "move sessions to redis"},
}

func TestReadCommandFor(t *testing.T) {
	t.Parallel()
	for _, c := range commands {
		command, rest := command.ReadFor(c.text, "consultant", "oracle", "pythia", "Pythia  of Delphi", "")
		require.Equal(t, c.command, command, c.text)
		require.Equal(t, c.rest, rest, c.text)
	}
}

// These messages give no command: they report it, deny it, quote it, put it off, or mean something else.
func TestNoCommand(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "   ", "!", "\x00\xff", "> ", "```",
		"we asked the oracle already", "don't ask the oracle",
		"Please don’t ask the oracle whether it is safe",
		"I would ask the oracle", "should we ask the oracle?", "ask the oracle?", "Ask the oracle? No.",
		"nobody asked the consultant",
		"> ask the oracle whether it is safe", "`ask the oracle whether it is safe`",
		"```\nask the oracle whether\n```",
		"\"ask the oracle\" is what he wrote", "“Ask the oracle whether it is rounding.”",
		"The page says: “It is off. Ask the oracle whether.”",
		"The page says:\nask the oracle whether", "It is off, e.g. ask the oracle for a row",
		"It is off.\n> ask the oracle whether",
		"1. open the cart\n2. ask the oracle", "Ada asked. I ask the oracle every day.",
		"Ask the oracle later. Then fix it in cart.go.",
		"ask the oracle only if it fails", "ask the oracle when you are stuck", "ask the oracle later",
		"fix it. Ask the oracle if the tests fail.",
		"ask the oracle database for the rows", "ask the oracles of the shop",
		"ask the oracle_client whether", "task the oracle with it",
		"ask Bob whether it is safe", "ask pythia whether it is safe", "the second opinion form is broken",
		"second opinion form is broken",
		"diagnose the cart", "diagnosed", "diagnose?", "diagnose this?", "don't diagnose it",
		"the diagnosis page is empty", "diagnosis page is empty",
		"Diagnosis: the page is empty", "we could diagnose this", "\"diagnose this\"", "`diagnose`",
		"> diagnose this", "run a diagnosis?",
		"the grill menu is wrong", "grill menu is wrong", "grill me is broken",
		"the button grill me does nothing", "grill-me is broken",
		"they interview me tomorrow", "interview meals are not refunded", "grill me?", "don't grill me",
		"> grill me", "do not interview me on this",
		"start work on the cart", "start work", "we start work at nine", "write a planner", "write a plan?",
		"the write a plan button is grey",
		"write a plan button is grey", "don't write a plan", "the plan is to ship", "plan this",
		"plan this for later", "we should plan this first",
		"we could /diagnose it", "//diagnose", "/diagnoses", "/grill-meat", "> /diagnose", "`/diagnose`",
		"\"/diagnose\"",
	} {
		command, rest := command.Read(text)
		require.Equal(t, workflow.CommandNone, command, text)
		require.Empty(t, rest, text)
	}
}

func TestConsultantWithoutName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]workflow.Command{
		"ask the oracle whether it is safe": workflow.CommandNone,
		"ask  whether it is safe":           workflow.CommandNone,
		"get a second opinion":              workflow.CommandConsult,
		"/consult is it safe?":              workflow.CommandConsult,
	} {
		for _, names := range [][]string{nil, {""}, {" "}, {"\xff"}} {
			command, _ := command.ReadFor(text, names...)
			require.Equal(t, want, command, text)
		}
	}
	command, rest := command.ReadFor("ask (o_o) whether it is safe", "(o_o)")
	require.Equal(t, workflow.CommandConsult, command)
	require.Equal(t, "whether it is safe", rest)
}

// A long request keeps every word after the command.
func TestLongCommand(t *testing.T) {
	t.Parallel()
	about := "carts" + strings.Repeat(" and carts", 500)
	for _, lead := range []string{
		"/grill-me ", "grill me on ", "diagnose: ", "write a plan for ", "ask the oracle about ",
	} {
		command, rest := command.Read(lead + about)
		require.NotEqual(t, workflow.CommandNone, command, lead)
		require.Equal(t, about, rest, lead)
	}
}

func TestReadCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		command workflow.Command
		args    string
	}{
		{`/grill-me "a wish list for guests"`, workflow.CommandGrillMe, "a wish list for guests"},
		{"/grill-me “a wish list”", workflow.CommandGrillMe, "a wish list"},
		{" /Grill-Me a wish list", workflow.CommandGrillMe, "a wish list"},
		{`/grill-me "one" or "two"`, workflow.CommandGrillMe, `"one" or "two"`},
		{"/start-work", workflow.CommandStartWork, ""},
		{": /start-work the import", workflow.CommandStartWork, "the import"},
		{"/start-work:\n1. a\n2. b", workflow.CommandStartWork, "1. a\n2. b"},
		{"/diagnose", workflow.CommandDiagnose, ""},
		{"/diagnose the cart", workflow.CommandDiagnose, "the cart"},
		{"diagnose this", workflow.CommandDiagnose, ""},
		{"Diagnose this, please.", workflow.CommandDiagnose, ""},
		{"please diagnose this", workflow.CommandDiagnose, ""},
		{"diagnose", workflow.CommandDiagnose, ""},
		{"diagnose this: the cart is off", workflow.CommandDiagnose, "the cart is off"},
		{"/consult is the pool too small?", workflow.CommandConsult, "is the pool too small?"},
		{"diagnose the cart", workflow.CommandNone, ""},
		{"diagnosed", workflow.CommandNone, ""},
		{"/diagnoses", workflow.CommandNone, ""},
		{"/grill-meat", workflow.CommandNone, ""},
		{"we could /diagnose it", workflow.CommandNone, ""},
		{"> /diagnose", workflow.CommandNone, ""},
		{"`/diagnose`", workflow.CommandNone, ""},
		{"//diagnose", workflow.CommandNone, ""},
		{"stop", workflow.CommandNone, ""},
		{"", workflow.CommandNone, ""},
	} {
		command, args := command.Read(c.text)
		require.Equal(t, c.command, command, c.text)
		require.Equal(t, c.args, args, c.text)
	}
}

// FuzzRead checks that ReadFor returns a rest only with a command, and finds no command in quoted text.
func FuzzRead(f *testing.F) {
	for _, c := range commands {
		f.Add(c.text, "pythia")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		c, rest := command.ReadFor(text, name)
		if c == workflow.CommandNone {
			require.Empty(t, rest)
		}
		quoted := "> " + strings.ReplaceAll(text, "\n", "\n> ")
		c, _ = command.ReadFor(quoted, name)
		require.Equal(t, workflow.CommandNone, c, quoted)
	})
}
