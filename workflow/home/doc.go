// Package home builds the content of a person's App Home (the types are in hometab): the sessions that
// wait for the person, other sessions that the person may see, and today's spending. Who may see what
// is read from rows and from Slack for each view. If Slack does not tell, only the person's own
// sessions are shown.
package home
