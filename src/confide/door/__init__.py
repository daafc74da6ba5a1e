"""Who is calling, what they may, and where a call goes."""
