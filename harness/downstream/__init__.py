"""The downstream: stands for the mail or payment provider, records every effect, and misbehaves on command."""
