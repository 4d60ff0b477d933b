"""Invoices as plain text."""


def format_invoice(invoice):
    """The invoice as it is printed."""
    rows = [f"Invoice {invoice.number} for {invoice.customer}", ""]
    for line in invoice.lines:
        rows.append(f"{line.text:<30}{line.quantity:>8} x {line.price:>10}{line.net:>14}")
    rows.append(f"{'net':<30}{invoice.net:>35}")
    for rate, tax in invoice.taxes().items():
        rows.append(f"{f'tax {rate} %':<30}{tax:>35}")
    rows.append(f"{'to pay':<30}{invoice.gross:>35}")
    return "\n".join(rows) + "\n"
