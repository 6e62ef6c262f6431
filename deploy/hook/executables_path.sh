# Puts the executables on the path, and the package where `ros2` looks for it, as `. install/setup.bash` finds it.
case ":$PATH:" in
  *":$COLCON_CURRENT_PREFIX/lib/hexapod:"*) ;;
  *) export PATH="$COLCON_CURRENT_PREFIX/lib/hexapod:$PATH" ;;
esac
case ":${AMENT_PREFIX_PATH:-}:" in
  *":$COLCON_CURRENT_PREFIX:"*) ;;
  *) export AMENT_PREFIX_PATH="$COLCON_CURRENT_PREFIX${AMENT_PREFIX_PATH:+:$AMENT_PREFIX_PATH}" ;;
esac
