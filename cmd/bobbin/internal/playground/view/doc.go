// Package view shows a workspace of bot/slacktest as a team chat: pages made of Go templates
// (pages/page.html) of what somebody sees at an address, which names who is spoken as, the place
// and the thread, as in /ann/bugs/1700000000.000100. It changes nothing in the workspace, and
// remembers only what somebody has read.
package view
