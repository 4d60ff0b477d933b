// Package view renders a workspace of bot/slacktest as a team chat, with Go templates (pages/page.html). A
// page is what one person sees at an address, which names the person, the channel and the thread, as in
// /ann/bugs/1700000000.000100. The package changes nothing in the workspace, and stores only what each person
// has read.
package view
