"""The downstream: a stand-in for the payment or mail provider that workers call, which records every effect and misbehaves on command."""
