{command}
